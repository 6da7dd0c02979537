package org.vstar.env.webshop;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import opennlp.tools.postag.POSModel;
import opennlp.tools.postag.POSTagger;
import opennlp.tools.postag.ThreadSafePOSTaggerME;
import opennlp.tools.tokenize.SimpleTokenizer;

/**
 * OpenNLP's English tagger, with the model that comes from the package registry. A tagger other
 * than the original's changes the type part of the reward for a few per cent of all pairs of
 * products, and for no purchase of the right one.
 */
public final class OpenNlpTagger implements NounTagger {

  private static final long serialVersionUID = 1L;
  private static final String MODEL = "/opennlp-en-ud-ewt-pos-1.2-2.5.0.bin";
  private static final Set<String> NOUNS = Set.of("NOUN", "PROPN");

  /** Loaded by each process on first use. */
  private transient volatile POSTagger tagger;

  @Override
  public String fingerprint() {
    return MODEL;
  }

  @Override
  public List<String> nouns(String title) {
    String[] words = SimpleTokenizer.INSTANCE.tokenize(title);
    String[] tags = tagger().tag(words);
    List<String> nouns = new ArrayList<>();
    for (int i = 0; i < words.length; i++) {
      if (NOUNS.contains(tags[i])) {
        nouns.add(words[i].toLowerCase(Locale.ROOT));
      }
    }
    return nouns;
  }

  private POSTagger tagger() {
    if (tagger == null) {
      synchronized (OpenNlpTagger.class) {
        if (tagger == null) {
          tagger = load();
        }
      }
    }
    return tagger;
  }

  private static POSTagger load() {
    try (InputStream model = OpenNlpTagger.class.getResourceAsStream(MODEL)) {
      return new ThreadSafePOSTaggerME(new POSModel(model));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the tagger's model " + MODEL, e);
    }
  }
}
