/**
 * Losses of one trajectory: functions of its log-probabilities and its advantage. The two of A*-PO
 * are here; {@link org.vstar.model.objective.ObjectiveKind} makes another known.
 */
package org.vstar.model.objective;
