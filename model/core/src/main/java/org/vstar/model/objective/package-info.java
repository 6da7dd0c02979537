/**
 * Losses of one trajectory: functions of its log-probabilities and its advantage. Each method is a
 * record; {@link org.vstar.model.objective.ObjectiveKind} makes another known.
 */
package org.vstar.model.objective;
