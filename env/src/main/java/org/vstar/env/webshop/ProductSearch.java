package org.vstar.env.webshop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
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
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
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
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;
import org.vstar.env.InputError;

/** WebShop's ranking: Lucene's BM25 over Porter-stemmed text, ties in the order of the ids. */
public final class ProductSearch implements AutoCloseable {

  /** Most products that a search finds. */
  public static final int MOST = 50;

  private static final String TEXT = "contents";
  private static final String ID = "id";

  /** Fields that are searched as a whole. */
  static final String QUERY = "query";

  static final String CATEGORY = "category";
  private static final float K1 = 0.9f;
  private static final float B = 0.4f;
  private static final Sort RANKING =
      new Sort(SortField.FIELD_SCORE, new SortField(ID, SortField.Type.STRING_VAL));

  private static final Sort IN_FILE_ORDER =
      new Sort(SortField.FIELD_DOC, new SortField(ID, SortField.Type.STRING_VAL));

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

  private ProductSearch(Directory directory) {
    this.directory = directory;
    try {
      reader = DirectoryReader.open(directory);
    } catch (IOException e) {
      throw new InputError("cannot open the search index " + directory + ": " + e.getMessage(), e);
    }
    searcher = new IndexSearcher(reader);
    searcher.setSimilarity(new BM25Similarity(K1, B));
  }

  /** Indexes products in memory. */
  public static ProductSearch inMemory(List<Item> items) {
    Directory directory = new ByteBuffersDirectory();
    try (Writer writer = new Writer(directory)) {
      for (Item item : items) {
        writer.add(item);
      }
      writer.finish();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot index the products", e);
    }
    return new ProductSearch(directory);
  }

  /**
   * Opens what a {@link Writer} has written.
   *
   * @throws InputError if there is no index
   */
  static ProductSearch open(Path folder) {
    try {
      return new ProductSearch(new MMapDirectory(folder));
    } catch (IOException e) {
      throw new InputError("cannot open the search index in " + folder + ": " + e.getMessage(), e);
    }
  }

  /** Adds products to an index, in file order; whole when it is closed. */
  static final class Writer implements AutoCloseable {
    private final IndexWriter writer;

    /** An index on disk. */
    Writer(Path folder) throws IOException {
      this(new MMapDirectory(folder));
    }

    private Writer(Directory directory) throws IOException {
      IndexWriterConfig config = new IndexWriterConfig(new ProductAnalyzer());
      // Keeps the order of the products, and one segment at the end.
      config.setMergePolicy(new LogDocMergePolicy());
      writer = new IndexWriter(directory, config.setSimilarity(new BM25Similarity(K1, B)));
    }

    void add(Item item) throws IOException {
      Document document = new Document();
      document.add(new BinaryDocValuesField(ID, new BytesRef(item.asin())));
      document.add(new TextField(TEXT, text(item), Field.Store.NO));
      document.add(new StringField(QUERY, item.query(), Field.Store.NO));
      document.add(new StringField(CATEGORY, item.category(), Field.Store.NO));
      writer.addDocument(document);
    }

    /** Makes the index whole. */
    void finish() throws IOException {
      writer.forceMerge(1);
      writer.commit();
    }

    /** Leaves nothing of an index that was not finished. */
    @Override
    public void close() throws IOException {
      writer.rollback();
    }
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

  /** All products with this query, or of this category, in file order. */
  List<String> all(String field, String value) {
    try {
      int most = Math.max(1, reader.numDocs());
      List<String> asins = new ArrayList<>();
      for (ScoreDoc doc :
          searcher.search(new TermQuery(new Term(field, value)), most, IN_FILE_ORDER).scoreDocs) {
        asins.add(((BytesRef) ((FieldDoc) doc).fields[1]).utf8ToString());
      }
      return asins;
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
