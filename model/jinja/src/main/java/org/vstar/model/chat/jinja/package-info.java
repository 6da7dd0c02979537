/**
 * Chat templates by Hugging Face's own Jinja library (its JavaScript is in the resources,
 * unchanged), which GraalJS runs.
 */
package org.vstar.model.chat.jinja;
