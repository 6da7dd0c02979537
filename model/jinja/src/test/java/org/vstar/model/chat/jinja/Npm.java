package org.vstar.model.chat.jinja;

/**
 * Whether the build had npm to fetch the library with; {@code VSTAR_NPM=required} makes it an error
 * that it had not.
 */
final class Npm {

  private Npm() {}

  static boolean fetched() {
    return JinjaRenderer.class.getResource("huggingface-jinja.cjs") != null
        || "required".equals(System.getenv("VSTAR_NPM"));
  }
}
