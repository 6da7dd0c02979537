package org.vstar.model.tokenizer;

import com.fasterxml.jackson.core.JsonProcessingException;
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
import org.vstar.common.Json;
import org.vstar.env.AnswerFormat;

/**
 * Builds a word-level tokenizer from an environment's text: lower case, split at white space, each
 * punctuation mark a token of its own.
 */
public final class WordVocabulary {

  /** Stands for every word that is not known. */
  public static final String UNKNOWN = "<unk>";

  // What the tokenizer's Whitespace and Punctuation splits leave of lower-cased text.
  private static final Pattern WORD =
      Pattern.compile(
          "[\\p{Punct}\\p{IsPunctuation}]|[^\\p{IsWhite_Space}\\p{Punct}\\p{IsPunctuation}]+");

  private WordVocabulary() {}

  /**
   * The content of a {@code tokenizer.json} that knows every word of the text and an answer's
   * marks.
   *
   * @param marks tokens of the chat template
   */
  public static String build(
      Collection<String> text, AnswerFormat format, Collection<String> marks) {
    ObjectNode root = root(allMarks(format, marks), words(text));
    try {
      return Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of strings can always be written", e);
    }
  }

  private static List<String> allMarks(AnswerFormat format, Collection<String> marks) {
    List<String> all = new ArrayList<>(List.of(UNKNOWN));
    all.addAll(marks);
    all.addAll(List.of("<think>", "</think>", format.open(), format.close()));
    return all;
  }

  private static Set<String> words(Collection<String> text) {
    Set<String> words = new TreeSet<>();
    for (String line : text) {
      Matcher matcher = WORD.matcher(line.toLowerCase(Locale.ROOT));
      while (matcher.find()) {
        words.add(matcher.group());
      }
    }
    return words;
  }

  private static ObjectNode root(List<String> marks, Set<String> words) {
    ObjectNode root = Json.MAPPER.createObjectNode();
    root.put("version", "1.0");
    root.putNull("truncation");
    root.putNull("padding");
    ObjectNode vocabulary = Json.MAPPER.createObjectNode();
    ArrayNode added = root.putArray("added_tokens");
    int id = 0;
    for (String mark : marks) {
      vocabulary.put(mark, id);
      added.add(mark(id++, mark));
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
    ObjectNode model = root.putObject("model");
    model.put("type", "WordLevel");
    model.set("vocab", vocabulary);
    model.put("unk_token", UNKNOWN);
    return root;
  }

  static ObjectNode mark(int id, String content) {
    return Json.MAPPER
        .createObjectNode()
        .put("id", id)
        .put("content", content)
        .put("single_word", false)
        .put("lstrip", false)
        .put("rstrip", false)
        .put("normalized", false)
        .put("special", true);
  }
}
