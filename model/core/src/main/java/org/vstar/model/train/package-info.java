/** The online loop ({@link org.vstar.model.train.Trainer}) and its checkpoints. */
package org.vstar.model.train;
