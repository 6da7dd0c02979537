package org.vstar.env.countdown;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.vstar.env.countdown.Fraction.Undefined;
import org.vstar.env.python.PythonText;

/**
 * A sum as an answer writes it:
 *
 * <pre>
 * sum = product { ("+" | "-") product }      product = signed { ("*" | "/" | "//" | "%") signed }
 * signed = { "+" | "-" } power               power = atom [ "**" signed ]
 * atom = number | "(" sum ")"                number = "0" {"0"} | "1"…"9" { "0"…"9" }
 * </pre>
 *
 * <p>The whole text is checked before anything is computed, without recursion; what is computed is
 * no deeper than the brackets, of which at most 200 may be inside each other.
 */
final class Expression {

  private static final int DEEPEST = 200;

  private final List<String> signs;
  private int at;

  private Expression(List<String> signs) {
    this.signs = signs;
  }

  /**
   * What a text is worth, or why it is worth nothing.
   *
   * @param value null where there is none
   * @param verdict of a text without a value; null where there is one
   */
  record Result(Fraction value, Verdict verdict) {}

  /** Computes a text. */
  static Result of(String text) {
    Optional<List<String>> signs = signs(PythonText.strip(text));
    if (signs.isEmpty() || !isSum(signs.get())) {
      return new Result(null, Verdict.NOT_AN_EXPRESSION);
    }
    if (depth(signs.get()) > DEEPEST) {
      return new Result(null, Verdict.TOO_DEEP);
    }
    try {
      return new Result(new Expression(signs.get()).sum(), null);
    } catch (Undefined e) {
      return new Result(null, e.verdict());
    }
  }

  /** Numbers, operators and brackets; none if there is anything else. */
  private static Optional<List<String>> signs(String text) {
    List<String> signs = new ArrayList<>();
    int depth = 0;
    for (int i = 0; i < text.length(); ) {
      char c = text.charAt(i);
      if (c == ' ' || c == '\t' || c == '\f' || depth > 0 && (c == '\n' || c == '\r')) {
        i++;
        continue;
      }
      int end = endOfSign(text, i);
      if (end == i) {
        return Optional.empty();
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      signs.add(text.substring(i, end));
      i = end;
    }
    return Optional.of(signs);
  }

  private static int endOfSign(String text, int from) {
    char c = text.charAt(from);
    if (isDigit(c)) {
      int end = from + 1;
      while (end < text.length()
          && isDigit(text.charAt(end))
          && (c != '0' || text.charAt(end) == '0')) {
        end++;
      }
      return end;
    }
    if ((c == '*' || c == '/') && from + 1 < text.length() && text.charAt(from + 1) == c) {
      return from + 2;
    }
    return "+-*/%()".indexOf(c) >= 0 ? from + 1 : from;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Whether signs follow each other as the grammar wants it. */
  private static boolean isSum(List<String> signs) {
    boolean wantsAtom = true;
    int depth = 0;
    for (String sign : signs) {
      char c = sign.charAt(0);
      if (wantsAtom) {
        depth += c == '(' ? 1 : 0;
        wantsAtom = !isDigit(c);
        if (wantsAtom && c != '(' && c != '+' && c != '-') {
          return false;
        }
      } else {
        depth -= c == ')' ? 1 : 0;
        wantsAtom = c != ')';
        if (isDigit(c) || c == '(' || depth < 0) {
          return false;
        }
      }
    }
    return !wantsAtom && depth == 0;
  }

  private static int depth(List<String> signs) {
    int deepest = 0;
    int depth = 0;
    for (String sign : signs) {
      depth += sign.equals("(") ? 1 : sign.equals(")") ? -1 : 0;
      deepest = Math.max(deepest, depth);
    }
    return deepest;
  }

  private boolean takes(String sign) {
    if (at < signs.size() && signs.get(at).equals(sign)) {
      at++;
      return true;
    }
    return false;
  }

  private Fraction sum() throws Undefined {
    Fraction value = product();
    while (true) {
      if (takes("+")) {
        value = value.plus(product());
      } else if (takes("-")) {
        value = value.minus(product());
      } else {
        return value;
      }
    }
  }

  private Fraction product() throws Undefined {
    Fraction value = signed();
    while (true) {
      if (takes("*")) {
        value = value.times(signed());
      } else if (takes("/")) {
        value = value.over(signed());
      } else if (takes("//")) {
        value = value.floorOver(signed());
      } else if (takes("%")) {
        value = value.modulo(signed());
      } else {
        return value;
      }
    }
  }

  private Fraction signed() throws Undefined {
    boolean negative = false;
    while (true) {
      if (takes("-")) {
        negative = !negative;
      } else if (!takes("+")) {
        Fraction value = power();
        return negative ? value.negated() : value;
      }
    }
  }

  private Fraction power() throws Undefined {
    Fraction base = atom();
    return takes("**") ? base.power(signed()) : base;
  }

  private Fraction atom() throws Undefined {
    if (takes("(")) {
      Fraction value = sum();
      at++;
      return value;
    }
    return Fraction.of(new BigInteger(signs.get(at++)));
  }
}
