package org.vstar.env;

import java.io.Serializable;

/** One observation, the thought and action that answered it, and what that led to. */
public record Turn(String observation, Answer answer, Outcome outcome) implements Serializable {}
