/**
 * The engine on ND4J: the transformer and its derivative by ND4J's operations, on a {@code Tape}.
 */
package org.vstar.model.engine.nd4j;
