package org.vstar.model.tokenizer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;
import org.vstar.env.AnswerFormat;

/**
 * Builds a subword tokenizer from text: byte-level byte-pair encoding (Sennrich et al. 2016;
 * Radford et al. 2019) of lower-cased words. Frequent words are one token, others several. Because
 * every byte is a token, no text is unknown, and a vocabulary need not have seen what it will read.
 * Numbers below 1,000 are one token each, so that they can be compared as a whole, if they are no
 * more than a quarter of what is learned.
 */
public final class BytePairVocabulary {

  /** How GPT-2 parts text before pairs are merged; a word takes the space before it. */
  private static final Pattern WORD =
      Pattern.compile(
          "'(?:s|t|re|ve|m|ll|d)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
          Pattern.UNICODE_CHARACTER_CLASS);

  private static final int BYTES = 256;

  private static final int NUMBERS = 1000;

  /** So often numbers count: before all words. */
  private static final int OFTEN = 100_000;

  private BytePairVocabulary() {}

  /**
   * The content of a {@code tokenizer.json}.
   *
   * @param text what the pieces are learned from; a line counts as often as it is there
   * @param pieces tokens of the vocabulary, marks and bytes included; fewer if the text has no more
   *     pairs that occur twice
   * @param marks tokens of the chat template
   * @throws InvalidInputException if there is no room for marks and bytes
   */
  public static String build(
      Collection<String> text, int pieces, AnswerFormat format, Collection<String> marks) {
    List<String> tokens = new ArrayList<>(marks);
    tokens.addAll(List.of("<think>", "</think>", format.open(), format.close()));
    int ownMarks = tokens.size();
    InvalidInputException.require(
        pieces > ownMarks + BYTES,
        "warmStart.vocabularySize",
        pieces,
        "more than " + (ownMarks + BYTES) + ": each byte and each mark is one");
    for (int b = 0; b < BYTES; b++) {
      tokens.add(letter(b));
    }
    int learned = pieces - ownMarks - BYTES;
    Map<String, Integer> words = words(text);
    for (int n = 0; n < NUMBERS && learned >= 4 * NUMBERS; n++) {
      words.merge(Integer.toString(n), OFTEN, Integer::sum);
    }
    BytePairMerges merges = new BytePairMerges(words, BYTES);
    List<int[]> pairs = merges.learn(learned);
    List<String> written = new ArrayList<>();
    for (int[] pair : pairs) {
      String left = tokens.get(ownMarks + pair[0]);
      String right = tokens.get(ownMarks + pair[1]);
      written.add(left + " " + right);
      tokens.add(left + right);
    }
    return root(tokens, ownMarks, written).toPrettyString();
  }

  /** Words as bytes, with how often each is there. */
  private static Map<String, Integer> words(Collection<String> text) {
    Map<String, Integer> words = new TreeMap<>();
    for (String line : text) {
      Matcher matcher = WORD.matcher(" " + line.toLowerCase(Locale.ROOT));
      while (matcher.find()) {
        byte[] bytes = matcher.group().getBytes(StandardCharsets.UTF_8);
        words.merge(new String(bytes, StandardCharsets.ISO_8859_1), 1, Integer::sum);
      }
    }
    return words;
  }

  /** The letter that stands for a byte, as in GPT-2: itself if it can be seen. */
  private static String letter(int b) {
    int hidden = 0;
    for (int i = 0; i < BYTES; i++) {
      boolean seen = i >= '!' && i <= '~' || i >= 0xa1 && i <= 0xac || i >= 0xae;
      if (i == b) {
        return Character.toString(seen ? b : BYTES + hidden);
      }
      hidden += seen ? 0 : 1;
    }
    throw new IllegalArgumentException("not a byte: " + b);
  }

  private static ObjectNode root(List<String> tokens, int marks, List<String> merges) {
    ObjectNode root = Json.MAPPER.createObjectNode();
    root.put("version", "1.0");
    root.putNull("truncation");
    root.putNull("padding");
    ArrayNode added = root.putArray("added_tokens");
    for (int id = 0; id < marks; id++) {
      added.add(WordVocabulary.mark(id, tokens.get(id)));
    }
    root.putObject("normalizer").put("type", "Lowercase");
    byteLevel(root.putObject("pre_tokenizer"));
    root.putNull("post_processor");
    byteLevel(root.putObject("decoder"));
    ObjectNode model = root.putObject("model").put("type", "BPE");
    for (String key : List.of("dropout", "unk_token", "continuing_subword_prefix")) {
      model.putNull(key);
    }
    model.putNull("end_of_word_suffix").put("fuse_unk", false).put("byte_fallback", false);
    ObjectNode vocabulary = model.putObject("vocab");
    for (int id = 0; id < tokens.size(); id++) {
      vocabulary.put(tokens.get(id), id);
    }
    ArrayNode pairs = model.putArray("merges");
    merges.forEach(pairs::add);
    return root;
  }

  private static void byteLevel(ObjectNode node) {
    // The first word behind a mark gets a space, so that it is the same token as elsewhere.
    node.put("type", "ByteLevel").put("add_prefix_space", true);
    node.put("trim_offsets", true).put("use_regex", true);
  }
}
