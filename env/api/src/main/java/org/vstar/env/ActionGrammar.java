package org.vstar.env;

import java.io.Serializable;
import java.util.List;

/**
 * The legal actions: each is a verb and its argument. Decoding can be constrained to it.
 *
 * @param forms the forms of action, in the order in which help texts list them
 */
public record ActionGrammar(List<Form> forms) implements Serializable {

  /** A verb with the arguments it takes. */
  public record Form(String verb, Argument argument) implements Serializable {}

  /** What can follow a verb. */
  public sealed interface Argument extends Serializable {}

  /** Nothing: the verb is all. */
  public record Nothing() implements Argument {}

  /** One of a fixed list. */
  public record OneOf(List<String> values) implements Argument {}

  /** One or more of the listed words, at most {@code maxWords} of them. */
  public record Words(List<String> vocabulary, int maxWords) implements Argument {}
}
