package org.vstar.model.chat.jinja;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.vstar.common.InvalidInputException;
import org.vstar.model.chat.TemplateRenderer;

/**
 * Renders templates by {@code @huggingface/jinja}, which has what published templates use: {@code
 * namespace}, slices, {@code raise_exception}, {@code strftime_now}, {@code tojson}.
 *
 * <p>JavaScript has one thread, so each thread that renders borrows a context of its own. A context
 * sees neither files nor Java.
 */
public final class JinjaRenderer implements TemplateRenderer {

  private static final String JS = "js";
  private static final String LIBRARY = "huggingface-jinja.cjs";

  /** What the library is given as a CommonJS module, and what is left of it. */
  private static final String[] MODULE = {
    "(function () { const module = {exports: {}}; (function (module, exports) {",
    "\n})(module, module.exports); return module.exports; })()"
  };

  /** Gives T and the text, or E and what the template says. */
  private static final String RENDER = "render.js";

  private final Engine engine;
  private final Source library;
  private final Source glue;
  private final Queue<Value> idle = new ConcurrentLinkedQueue<>();

  /**
   * Starts JavaScript.
   *
   * @throws InvalidInputException if the build had no npm
   */
  public JinjaRenderer() {
    // Without a compiler of its own GraalJS interprets, and would warn of it.
    engine = Engine.newBuilder(JS).option("engine.WarnInterpreterOnly", "false").build();
    library = source(MODULE[0] + resource(LIBRARY) + MODULE[1], LIBRARY);
    glue = source(resource(RENDER), RENDER);
  }

  private static String resource(String name) {
    try (InputStream in = JinjaRenderer.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new InvalidInputException(
            "chat templates cannot be rendered: this build is without @huggingface/jinja, which npm"
                + " fetches: install npm, delete model/jinja/target and run submit/build jinja");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("a resource of this jar cannot be read", e);
    }
  }

  private static Source source(String text, String name) {
    return Source.newBuilder(JS, text, name).buildLiteral();
  }

  private Value function() {
    Context context = Context.newBuilder(JS).engine(engine).allowAllAccess(false).build();
    return context.eval(glue).execute(context.eval(library));
  }

  @Override
  public String render(String template, JsonNode arguments) {
    Value function = Optional.ofNullable(idle.poll()).orElseGet(this::function);
    try {
      String result = function.execute(template, arguments.toString()).asString();
      if (result.charAt(0) == 'E') {
        throw new InvalidInputException("the chat template refuses: " + result.substring(1));
      }
      return result.substring(1);
    } catch (PolyglotException e) {
      throw new InvalidInputException("the chat template cannot be rendered: " + e.getMessage(), e);
    } finally {
      idle.add(function);
    }
  }
}
