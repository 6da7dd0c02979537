/** A policy: an engine, a tokenizer and a chat template, and how it is sampled. */
package org.vstar.model.policy;
