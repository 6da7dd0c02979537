/** The two A*-PO objectives, each a function of the log-probabilities of one trajectory. */
package org.vstar.model.objective;
