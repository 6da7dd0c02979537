package org.vstar.env.webshop.reward;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import opennlp.tools.postag.POSModel;
import opennlp.tools.postag.POSTagger;
import opennlp.tools.postag.ThreadSafePOSTaggerME;
import opennlp.tools.tokenize.SimpleTokenizer;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Lazy;

/**
 * OpenNLP's English tagger, with the model that comes from the package registry. A tagger other
 * than the original's changes the type part of the reward for a few per cent of all pairs of
 * products, and for no purchase of the right one.
 */
public final class OpenNlpTagger implements NounTagger {

  private static final long serialVersionUID = 1L;
  private static final String MODEL = "/opennlp-en-ud-ewt-pos-1.2-2.5.0.bin";
  private static final Set<String> NOUNS = Set.of("NOUN", "PROPN");

  private final Lazy<POSTagger> tagger = new Lazy<>();

  @Override
  public String fingerprint() {
    return MODEL;
  }

  @Override
  public List<String> nouns(String title) {
    String[] words = SimpleTokenizer.INSTANCE.tokenize(title);
    String[] tags = tagger.get(OpenNlpTagger::load).tag(words);
    List<String> nouns = new ArrayList<>();
    for (int i = 0; i < words.length; i++) {
      if (NOUNS.contains(tags[i])) {
        nouns.add(words[i].toLowerCase(Locale.ROOT));
      }
    }
    return nouns;
  }

  private static POSTagger load() {
    try (InputStream model = OpenNlpTagger.class.getResourceAsStream(MODEL)) {
      return new ThreadSafePOSTaggerME(new POSModel(model));
    } catch (IOException e) {
      throw InvalidInputException.cannot("read the tagger's model " + MODEL, e);
    }
  }
}
