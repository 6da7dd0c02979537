/**
 * Training: imitation for the reference policy (the transformer as a DeepLearning4J network), and
 * the online loop of A*-PO ({@link org.vstar.model.train.Trainer}).
 */
package org.vstar.model.train;
