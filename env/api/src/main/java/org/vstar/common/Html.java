package org.vstar.common;

/** What all pages that Vstar writes have in common. */
public final class Html {

  private static final String STYLE =
      """
      body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:2em auto;padding:0 1em;color:#222}
      """;

  private Html() {}

  /** The beginning of a page, up to and with the body's tag. */
  public static String head(String title, String css) {
    return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
        + escape(title)
        + "</title><style>\n"
        + STYLE
        + css
        + "</style></head><body>\n";
  }

  /** Text as it stands in a page or in an attribute. */
  public static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
