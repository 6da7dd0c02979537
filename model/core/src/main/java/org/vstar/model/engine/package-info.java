/**
 * A model on one device, as the rest of Vstar sees it: what it can do (generate, score, take
 * gradients, step) and nothing of how. Weights and gradients never leave it but as named tensors to
 * be stored. {@link org.vstar.model.engine.EngineKind} makes an engine known.
 */
package org.vstar.model.engine;
