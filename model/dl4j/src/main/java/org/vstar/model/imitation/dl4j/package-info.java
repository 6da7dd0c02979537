/** The transformer as a DeepLearning4J network, so that its Spark training can train it. */
package org.vstar.model.imitation.dl4j;
