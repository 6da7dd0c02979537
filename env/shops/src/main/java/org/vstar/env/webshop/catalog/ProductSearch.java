package org.vstar.env.webshop.catalog;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.en.EnglishPossessiveFilter;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.vstar.env.python.PythonText;
import org.vstar.env.shopping.SearchIndex;

/** WebShop's ranking: BM25 over the Porter-stemmed words of a product, found by its asin. */
public final class ProductSearch {

  /** How many products a search finds at most. */
  private static final int MAX_HITS = 50;

  /** Lucene field of a product's query. */
  public static final String QUERY = "query";

  /** Lucene field of its category. */
  public static final String CATEGORY = "category";

  private static final float K1 = 0.9f;
  private static final float B = 0.4f;

  /** How products are found. */
  static final SearchIndex.Ranking RANKING =
      new SearchIndex.Ranking(new ProductAnalyzer(), new BM25Similarity(K1, B), MAX_HITS);

  private ProductSearch() {}

  private static final class ProductAnalyzer extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      StandardTokenizer source = new StandardTokenizer();
      TokenStream stream = new LowerCaseFilter(new EnglishPossessiveFilter(source));
      stream = new StopFilter(stream, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
      return new TokenStreamComponents(source, new PorterStemFilter(stream));
    }
  }

  /** A product as it is found. */
  static SearchIndex.Document document(Item item) {
    return new SearchIndex.Document(
        item.asin(), text(item), Map.of(QUERY, item.query(), CATEGORY, item.category()));
  }

  private static String text(Item item) {
    String options =
        item.options().entrySet().stream()
            .map(e -> e.getKey() + ": " + String.join(", ", e.getValue()))
            .collect(Collectors.joining(", and "));
    String bullet = item.bullets().isEmpty() ? "" : item.bullets().get(0);
    return PythonText.lower(String.join(" ", item.title(), item.description(), bullet, options));
  }

  /** Indexes products in memory. */
  static SearchIndex inMemory(List<Item> items) {
    return SearchIndex.inMemory(RANKING, items.stream().map(ProductSearch::document)::iterator);
  }
}
