/**
 * The parameters of a model as one flat vector on Java's heap: where each lies, and what they are
 * before training.
 */
package org.vstar.model.weights;
