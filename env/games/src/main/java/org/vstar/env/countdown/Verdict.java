package org.vstar.env.countdown;

/** What became of an answer; the first that applies counts. */
enum Verdict {
  WRONG_NUMBERS("wrong numbers"),
  NOT_AN_EXPRESSION("not an expression"),
  TOO_DEEP("too deep"),
  DIVISION_BY_ZERO("division by zero"),
  NO_WHOLE_EXPONENT("no whole exponent"),
  TOO_LARGE("too large"),
  WRONG_VALUE("wrong value"),
  RIGHT("right");

  private static final double OF_FORM = 0.1;

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  String text() {
    return text;
  }

  double reward() {
    return this == RIGHT ? 1 : this == WRONG_NUMBERS ? 0 : OF_FORM;
  }
}
