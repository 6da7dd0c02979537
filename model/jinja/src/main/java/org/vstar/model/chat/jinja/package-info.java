/**
 * Chat templates by Hugging Face's own Jinja library, which the build fetches with npm and GraalJS
 * runs.
 */
package org.vstar.model.chat.jinja;
