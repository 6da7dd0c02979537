/**
 * Imitation of demonstrations (supervised fine-tuning). {@link
 * org.vstar.model.imitation.ImitationKind} makes an implementation known.
 */
package org.vstar.model.imitation;
