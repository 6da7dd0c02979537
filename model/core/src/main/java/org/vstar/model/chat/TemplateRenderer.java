package org.vstar.model.chat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.vstar.common.Experimental;
import org.vstar.common.InvalidInputException;

/**
 * Renders the Jinja templates that Hugging Face's models bring along. Found by {@link
 * ServiceLoader}; the module {@code model/jinja} has one. Used by many threads.
 */
@Experimental
public interface TemplateRenderer {

  /**
   * The text of a template.
   *
   * @param arguments an object of the names that the template knows
   * @throws InvalidInputException with what the template says, if it refuses them or is none
   */
  String render(String template, JsonNode arguments);

  /**
   * The one there is.
   *
   * @throws InvalidInputException if there is none, or it lacks something
   */
  static TemplateRenderer find() {
    try {
      return ServiceLoader.load(TemplateRenderer.class)
          .findFirst()
          .orElseThrow(
              () ->
                  new InvalidInputException(
                      "chat templates need the jars of vstar-jinja: run submit/build jinja, and"
                          + " give them with --jars where no command of submit starts the job"));
    } catch (ServiceConfigurationError e) {
      if (e.getCause() instanceof InvalidInputException why) {
        throw why;
      }
      throw e;
    }
  }
}
