package org.vstar.env.webshop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.BytesRef;

/** WebShop's ranking: Lucene's BM25 over Porter-stemmed text, ties in the order of the ids. */
public final class ProductSearch implements AutoCloseable {

  /** Most products that a search finds. */
  public static final int MOST = 50;

  private static final String TEXT = "contents";
  private static final String ID = "id";
  private static final float K1 = 0.9f;
  private static final float B = 0.4f;
  private static final Sort RANKING =
      new Sort(SortField.FIELD_SCORE, new SortField(ID, SortField.Type.STRING_VAL));

  /** A product that was found, with its BM25 score. */
  public record Hit(String asin, float score) {}

  private static final class ProductAnalyzer extends Analyzer {
    @Override
    protected TokenStreamComponents createComponents(String field) {
      StandardTokenizer source = new StandardTokenizer();
      TokenStream stream = new LowerCaseFilter(new EnglishPossessiveFilter(source));
      stream = new StopFilter(stream, EnglishAnalyzer.ENGLISH_STOP_WORDS_SET);
      return new TokenStreamComponents(source, new PorterStemFilter(stream));
    }
  }

  private final Analyzer analyzer = new ProductAnalyzer();
  private final Directory directory;
  private final DirectoryReader reader;
  private final IndexSearcher searcher;
  private final List<String> asins;

  /** Indexes products in memory. */
  public ProductSearch(List<Item> items) {
    BM25Similarity similarity = new BM25Similarity(K1, B);
    directory = new ByteBuffersDirectory();
    try {
      IndexWriterConfig config = new IndexWriterConfig(analyzer).setSimilarity(similarity);
      try (IndexWriter writer = new IndexWriter(directory, config)) {
        for (Item item : items) {
          Document document = new Document();
          document.add(new BinaryDocValuesField(ID, new BytesRef(item.asin())));
          document.add(new TextField(TEXT, text(item), Field.Store.NO));
          writer.addDocument(document);
        }
        writer.forceMerge(1);
      }
      reader = DirectoryReader.open(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot index the products", e);
    }
    searcher = new IndexSearcher(reader);
    searcher.setSimilarity(similarity);
    asins = items.stream().map(Item::asin).toList();
  }

  private static String text(Item item) {
    String options =
        item.options().entrySet().stream()
            .map(e -> e.getKey() + ": " + String.join(", ", e.getValue()))
            .collect(Collectors.joining(", and "));
    String bullet = item.bullets().isEmpty() ? "" : item.bullets().get(0);
    return String.join(" ", item.title(), item.description(), bullet, options)
        .toLowerCase(Locale.ROOT);
  }

  /** The best products for a query, at most {@link #MOST}. */
  public List<Hit> search(String query) {
    try {
      BooleanQuery.Builder any = new BooleanQuery.Builder();
      int terms = 0;
      for (var term : terms(query).entrySet()) {
        Term indexed = new Term(TEXT, term.getKey());
        // A word that no product has adds nothing to any score.
        if (reader.docFreq(indexed) > 0 && terms++ < IndexSearcher.getMaxClauseCount()) {
          any.add(new BoostQuery(new TermQuery(indexed), term.getValue()), Occur.SHOULD);
        }
      }
      List<Hit> hits = new ArrayList<>();
      for (ScoreDoc doc : searcher.search(any.build(), MOST, RANKING, true).scoreDocs) {
        BytesRef asin = (BytesRef) ((FieldDoc) doc).fields[1];
        hits.add(new Hit(asin.utf8ToString(), doc.score));
      }
      return hits;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot search", e);
    }
  }

  /** The distinct terms of a query with their counts, in order. */
  private Map<String, Integer> terms(String query) throws IOException {
    Map<String, Integer> terms = new LinkedHashMap<>();
    try (TokenStream stream = analyzer.tokenStream(TEXT, query)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        terms.merge(term.toString(), 1, Integer::sum);
      }
      stream.end();
    }
    return terms;
  }

  /** All products, in file order. */
  List<String> all() {
    return asins;
  }

  @Override
  public void close() {
    try {
      reader.close();
      directory.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
