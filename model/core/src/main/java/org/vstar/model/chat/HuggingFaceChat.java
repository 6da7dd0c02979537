package org.vstar.model.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.common.ContentHash;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.common.Lazy;
import org.vstar.model.tokenizer.Tokenizer;
import org.vstar.model.tokenizer.Tokenizer.Span;

/**
 * The chat template of a Hugging Face model, from its {@code tokenizer_config.json}.
 *
 * <p>A trajectory is append-only: what was sampled stays as it was sampled, and the next
 * observation is appended as the template writes a user's turn behind an answer. (Rendering the
 * whole chat anew would change what was sampled: Qwen3's template drops old thoughts.) Marks in an
 * observation are text.
 */
public final class HuggingFaceChat implements ChatTemplate {

  private static final long serialVersionUID = 1L;

  /** What the {@link #name} of every such template begins with. */
  public static final String NAME = "hugging-face/1 ";

  /** Stands for an answer while the text behind one is looked for. */
  private static final String ANSWER = "\uF8F0answer\uF8F1";

  /** What {@code transformers} gives a template of the tokenizer: its map of special tokens. */
  private static final List<String> SPECIAL_TOKENS =
      List.of(
          "bos_token",
          "eos_token",
          "unk_token",
          "sep_token",
          "pad_token",
          "cls_token",
          "mask_token");

  private static final String ADDITIONAL = "additional_special_tokens";

  /** Marks that an agent writes; some tokenizers have a token for each. */
  private static final Pattern TAG = Pattern.compile("</?(think|answer|action)>");

  /** Stand for the marks in contents while a template is rendered: private to nobody. */
  private static final char FIRST_STAND_IN = '\uE000';

  private final String config;
  private final String arguments;
  private final String system;
  private final List<Integer> endTokens;
  private final Lazy<TemplateRenderer> renderer = new Lazy<>();
  private final Lazy<JsonNode> tree = new Lazy<>();
  private final Lazy<String> endOfAnswer = new Lazy<>();

  /**
   * Reads a template.
   *
   * @param config the content of a {@code tokenizer_config.json}
   * @param arguments what the template is given besides the messages, {@code enable_thinking} for
   *     example
   * @param system what the system's message says, or null for none
   * @param endTokens ids that end an answer too, as the model's own files say
   * @throws InvalidInputException if the config has no template
   */
  public HuggingFaceChat(
      String config, JsonNode arguments, String system, Collection<Integer> endTokens) {
    this.config = config;
    this.arguments = arguments.toString();
    this.system = system;
    this.endTokens = List.copyOf(endTokens);
    template();
  }

  /** Reads a template of a model whose files name no more tokens that end an answer. */
  public HuggingFaceChat(String config, JsonNode arguments, String system) {
    this(config, arguments, system, List.of());
  }

  private static JsonNode tree(String json) {
    try {
      return Json.MAPPER.readTree(json);
    } catch (IOException e) {
      throw new InvalidInputException("not a tokenizer_config.json: " + e.getMessage(), e);
    }
  }

  private JsonNode config() {
    return tree.get(() -> tree(config));
  }

  private String template() {
    JsonNode found = config().path("chat_template");
    if (found.isArray()) {
      // Several by name; the default one is for chats without tools.
      for (JsonNode named : found) {
        if (named.path("name").asText().equals("default")) {
          found = named.path("template");
        }
      }
    }
    if (!found.isTextual()) {
      throw new InvalidInputException(
          "tokenizer_config.json has no chat_template: a policy needs a model that was taught to"
              + " chat");
    }
    return found.asText();
  }

  /** What the system's message says, or null. */
  public String system() {
    return system;
  }

  /** What the template is given besides the messages, an object as JSON. */
  public String arguments() {
    return arguments;
  }

  /** A token of the config: text, or an object that has it as its content. */
  private static String token(JsonNode found) {
    return found.isObject() ? found.path("content").asText(null) : found.asText(null);
  }

  /**
   * The text of a chat.
   *
   * @param generationPrompt whether it ends with what hands over to the assistant
   */
  public String render(List<Message> messages, boolean generationPrompt) {
    ObjectNode all = (ObjectNode) tree(arguments);
    JsonNode tokens = config();
    for (String name : SPECIAL_TOKENS) {
      if (tokens.hasNonNull(name)) {
        all.put(name, token(tokens.get(name)));
      }
    }
    if (tokens.path(ADDITIONAL).isArray()) {
      ArrayNode additional = all.putArray(ADDITIONAL);
      tokens.get(ADDITIONAL).forEach(found -> additional.add(token(found)));
    }
    ArrayNode list = all.putArray("messages");
    for (Message message : messages) {
      list.add(message.fields());
    }
    all.put("add_generation_prompt", generationPrompt);
    return renderer.get(TemplateRenderer::find).render(template(), all);
  }

  /**
   * A chat as spans: marks that the template writes are meant, those in contents are text. The
   * assistant's tags keep their tokens.
   */
  public List<Span> spans(Tokenizer tokenizer, List<Message> messages, boolean generationPrompt) {
    String text = render(messages, generationPrompt);
    List<String> marks = new ArrayList<>();
    List<Message> without = new ArrayList<>();
    for (Message message : messages) {
      without.add(withStandIns(tokenizer, message, marks));
    }
    if (marks.isEmpty()) {
      return List.of(new Span(text, true));
    }
    String rendered = render(without, generationPrompt);
    List<Span> spans = new ArrayList<>();
    StringBuilder restored = new StringBuilder();
    int from = 0;
    for (int i = 0; i < rendered.length(); i++) {
      int mark = rendered.charAt(i) - FIRST_STAND_IN;
      if (mark >= 0 && mark < marks.size()) {
        spans.add(new Span(rendered.substring(from, i), true));
        spans.add(new Span(marks.get(mark), false));
        restored.append(rendered, from, i).append(marks.get(mark));
        from = i + 1;
      }
    }
    spans.add(new Span(rendered.substring(from), true));
    restored.append(rendered.substring(from));
    // A template may look at what stands in a content, and write something else for it.
    return restored.toString().equals(text) ? spans : contents(text, messages, without);
  }

  private static Message withStandIns(Tokenizer tokenizer, Message message, List<String> marks) {
    boolean tags = message.role().equals(Message.ASSISTANT);
    return message.map(
        text ->
            tokenizer
                .marks()
                .matcher(text)
                .replaceAll(
                    found ->
                        tags && TAG.matcher(found.group()).matches()
                            ? found.group()
                            : standIn(found.group(), marks)));
  }

  private static String standIn(String mark, List<String> marks) {
    if (!marks.contains(mark)) {
      marks.add(mark);
    }
    return String.valueOf((char) (FIRST_STAND_IN + marks.indexOf(mark)));
  }

  /** The contents that have marks, as they stand in the text, in the order of the messages. */
  private static List<Span> contents(String text, List<Message> messages, List<Message> without) {
    List<Span> spans = new ArrayList<>();
    int from = 0;
    int written = 0;
    for (int i = 0; i < messages.size(); i++) {
      String content = messages.get(i).content().strip();
      int at = content.isEmpty() ? -1 : text.indexOf(content, from);
      if (at >= 0) {
        from = at + content.length();
        if (!messages.get(i).equals(without.get(i))) {
          spans.add(new Span(text.substring(written, at), true));
          spans.add(new Span(content, false));
          written = from;
        }
      }
    }
    spans.add(new Span(text.substring(written), true));
    return spans;
  }

  private List<Message> opening() {
    List<Message> messages = new ArrayList<>();
    if (system != null) {
      messages.add(Message.of(Message.SYSTEM, system));
    }
    return messages;
  }

  @Override
  public int[] observation(Tokenizer tokenizer, String text, boolean first) {
    List<Message> messages = opening();
    if (first) {
      messages.add(Message.of(Message.USER, text));
      return tokenizer.encode(spans(tokenizer, messages, true));
    }
    messages.add(Message.of(Message.USER, "…"));
    messages.add(Message.of(Message.ASSISTANT, ANSWER));
    messages.add(Message.of(Message.USER, text));
    return tokenizer.encodeBehind(behindAnswer(tokenizer, spans(tokenizer, messages, true)));
  }

  /** What stands behind the answer's end. */
  private List<Span> behindAnswer(Tokenizer tokenizer, List<Span> spans) {
    List<Span> behind = new ArrayList<>(spans);
    Span head = behind.remove(0);
    String end = endOfAnswer(tokenizer);
    int at = head.text().indexOf(ANSWER + end);
    if (at < 0) {
      throw new InvalidInputException("the chat template does not write answers one by one");
    }
    behind.add(0, new Span(head.text().substring(at + ANSWER.length() + end.length()), true));
    return behind;
  }

  /** The mark that the template writes behind an answer. */
  private String endOfAnswer(Tokenizer tokenizer) {
    return endOfAnswer.get(() -> findEndOfAnswer(tokenizer));
  }

  private String findEndOfAnswer(Tokenizer tokenizer) {
    List<Message> messages = opening();
    messages.add(Message.of(Message.USER, "…"));
    messages.add(Message.of(Message.ASSISTANT, ANSWER));
    String text = render(messages, false);
    int at = text.indexOf(ANSWER);
    Matcher matcher = tokenizer.marks().matcher(text);
    if (at < 0 || !matcher.find(at + ANSWER.length()) || matcher.start() != at + ANSWER.length()) {
      throw new InvalidInputException(
          "the chat template does not end an answer with a mark of the tokenizer: '" + text + "'");
    }
    return matcher.group();
  }

  @Override
  public int[] endOfCutAnswer(Tokenizer tokenizer) {
    return new int[] {tokenizer.id(endOfAnswer(tokenizer))};
  }

  @Override
  public int[] answer(Tokenizer tokenizer, String text) {
    List<Span> spans = new ArrayList<>();
    int from = 0;
    Matcher matcher = TAG.matcher(text);
    while (matcher.find()) {
      spans.add(new Span(text.substring(from, matcher.start()), false));
      spans.add(new Span(matcher.group(), true));
      from = matcher.end();
    }
    spans.add(new Span(text.substring(from), false));
    spans.add(new Span(endOfAnswer(tokenizer), true));
    return tokenizer.encodeBehind(spans);
  }

  @Override
  public Set<Integer> stopTokens(Tokenizer tokenizer) {
    Set<Integer> stops = new TreeSet<>();
    stops.add(tokenizer.id(endOfAnswer(tokenizer)));
    String end = token(config().path("eos_token"));
    if (end != null && tokenizer.has(end)) {
      stops.add(tokenizer.id(end));
    }
    endTokens.stream().filter(id -> id >= 0 && id < tokenizer.size()).forEach(stops::add);
    return stops;
  }

  @Override
  public List<String> marks() {
    return List.of();
  }

  @Override
  public String tokenizerConfig(Tokenizer tokenizer, int context) {
    return config;
  }

  @Override
  public String name() {
    return NAME
        + new ContentHash().add(template()).add(arguments).add(system == null ? "" : system).hex();
  }
}
