package org.vstar.env;

import java.io.Serializable;

/**
 * An agent's answer to one observation; {@link AnswerFormat} says how it is written.
 *
 * @param thought free text, may be empty
 * @param action the action's text
 */
public record Answer(String thought, String action) implements Serializable {}
