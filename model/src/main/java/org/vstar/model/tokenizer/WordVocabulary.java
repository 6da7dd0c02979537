package org.vstar.model.tokenizer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.env.AnswerFormat;

/**
 * Builds a word-level tokenizer from an environment's text: lower case, split at white space, each
 * punctuation mark a token of its own.
 */
public final class WordVocabulary {

  static final String UNKNOWN = "<unk>";
  private static final List<String> MARKS =
      List.of(
          UNKNOWN, Tokenizer.OBSERVATION, Tokenizer.AGENT, Tokenizer.END, "<think>", "</think>");

  // What the tokenizer's Whitespace and Punctuation splits leave of lower-cased text.
  private static final Pattern WORD =
      Pattern.compile(
          "[\\p{Punct}\\p{IsPunctuation}]|[^\\p{IsWhite_Space}\\p{Punct}\\p{IsPunctuation}]+");

  private WordVocabulary() {}

  /**
   * The content of a {@code tokenizer.json} that knows every word of the text and an answer's
   * marks.
   */
  public static String build(Collection<String> text, AnswerFormat format) {
    Set<String> words = new TreeSet<>();
    for (String line : text) {
      Matcher matcher = WORD.matcher(line.toLowerCase(Locale.ROOT));
      while (matcher.find()) {
        words.add(matcher.group());
      }
    }
    ObjectMapper json = new ObjectMapper();
    ObjectNode root = json.createObjectNode();
    root.put("version", "1.0");
    root.putNull("truncation");
    root.putNull("padding");
    ObjectNode model = json.createObjectNode();
    ObjectNode vocabulary = json.createObjectNode();
    ArrayNode added = root.putArray("added_tokens");
    int id = 0;
    List<String> marks = new ArrayList<>(MARKS);
    marks.add(format.open());
    marks.add(format.close());
    for (String mark : marks) {
      vocabulary.put(mark, id);
      added.add(mark(json, id++, mark));
    }
    for (String word : words) {
      vocabulary.put(word, id++);
    }
    root.putObject("normalizer").put("type", "Lowercase");
    ObjectNode split = root.putObject("pre_tokenizer").put("type", "Sequence");
    ArrayNode splits = split.putArray("pretokenizers");
    splits.addObject().put("type", "WhitespaceSplit");
    splits.addObject().put("type", "Punctuation").put("behavior", "Isolated");
    root.putNull("post_processor");
    root.putNull("decoder");
    model.put("type", "WordLevel");
    model.set("vocab", vocabulary);
    model.put("unk_token", UNKNOWN);
    root.set("model", model);
    try {
      return json.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings can always be written", e);
    }
  }

  private static ObjectNode mark(ObjectMapper json, int id, String content) {
    return json.createObjectNode()
        .put("id", id)
        .put("content", content)
        .put("single_word", false)
        .put("lstrip", false)
        .put("rstrip", false)
        .put("normalized", false)
        .put("special", true);
  }
}
