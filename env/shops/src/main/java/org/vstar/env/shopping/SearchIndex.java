package org.vstar.env.shopping;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.BinaryDocValuesField;
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
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.BytesRef;
import org.vstar.common.InvalidInputException;

/**
 * A shop's search: a Lucene index of documents that share a term with the query, best first, ties
 * in the order of their ids. Safe to be used by many threads.
 */
public final class SearchIndex implements AutoCloseable {

  private static final String TEXT = "contents";
  private static final String ID = "id";
  private static final SortField BY_ID = new SortField(ID, SortField.Type.STRING_VAL);
  private static final Sort RANKING = new Sort(SortField.FIELD_SCORE, BY_ID);
  private static final Sort IN_ORDER_OF_ADDING = new Sort(SortField.FIELD_DOC, BY_ID);

  /**
   * How text becomes terms, and what a term that a document shares with the query is worth. A term
   * that is in the query n times counts n times.
   *
   * @param maxHits how many documents a search finds at most
   */
  public record Ranking(Analyzer analyzer, Similarity similarity, int maxHits) {}

  /**
   * What can be found.
   *
   * @param text what is searched by words
   * @param keys field → value that {@link #withValue} looks up as a whole
   */
  public record Document(String id, String text, Map<String, String> keys) {}

  /** A document that was found. */
  public record Hit(String id, float score) {}

  private final Ranking ranking;
  private final Directory directory;
  private final DirectoryReader reader;
  private final IndexSearcher searcher;

  private SearchIndex(Ranking ranking, Directory directory) {
    this.ranking = ranking;
    this.directory = directory;
    try {
      reader = DirectoryReader.open(directory);
    } catch (IOException e) {
      throw InvalidInputException.cannot("open the search index " + directory, e);
    }
    searcher = new IndexSearcher(reader);
    searcher.setSimilarity(ranking.similarity());
  }

  /** Indexes documents in memory. */
  public static SearchIndex inMemory(Ranking ranking, Iterable<Document> documents) {
    Directory directory = new ByteBuffersDirectory();
    try (Writer writer = new Writer(ranking, directory)) {
      for (Document document : documents) {
        writer.add(document);
      }
      writer.finish();
    } catch (IOException e) {
      throw InvalidInputException.cannot("index the documents", e);
    }
    return new SearchIndex(ranking, directory);
  }

  /**
   * Opens what a {@link Writer} has written.
   *
   * @throws InvalidInputException if there is no index
   */
  public static SearchIndex open(Ranking ranking, Path folder) {
    try {
      return new SearchIndex(ranking, new MMapDirectory(folder));
    } catch (IOException e) {
      throw InvalidInputException.cannot("open the search index in " + folder, e);
    }
  }

  /** Adds documents to an index; whole when it is finished. */
  public static final class Writer implements AutoCloseable {
    private final IndexWriter writer;

    /** An index on disk. */
    public Writer(Ranking ranking, Path folder) throws IOException {
      this(ranking, new MMapDirectory(folder));
    }

    private Writer(Ranking ranking, Directory directory) throws IOException {
      IndexWriterConfig config = new IndexWriterConfig(ranking.analyzer());
      // Keeps the order of the documents, and one segment at the end.
      config.setMergePolicy(new LogDocMergePolicy()).setSimilarity(ranking.similarity());
      writer = new IndexWriter(directory, config);
    }

    public void add(Document document) throws IOException {
      var fields = new org.apache.lucene.document.Document();
      fields.add(new BinaryDocValuesField(ID, new BytesRef(document.id())));
      fields.add(new TextField(TEXT, document.text(), Field.Store.NO));
      document
          .keys()
          .forEach((field, value) -> fields.add(new StringField(field, value, Field.Store.NO)));
      writer.addDocument(fields);
    }

    /** Makes the index whole. */
    public void finish() throws IOException {
      writer.forceMerge(1);
      writer.commit();
    }

    /** Leaves nothing of an index that was not finished. */
    @Override
    public void close() throws IOException {
      writer.rollback();
    }
  }

  /**
   * The best documents for a query, at maxHits {@link Ranking#maxHits}; none if they share no term.
   */
  public List<Hit> search(String query) {
    try {
      BooleanQuery.Builder any = new BooleanQuery.Builder();
      int terms = 0;
      for (var term : terms(query).entrySet()) {
        Term indexed = new Term(TEXT, term.getKey());
        // A word that no document has adds nothing to any score.
        if (reader.docFreq(indexed) > 0 && terms++ < IndexSearcher.getMaxClauseCount()) {
          any.add(new BoostQuery(new TermQuery(indexed), term.getValue()), Occur.SHOULD);
        }
      }
      return hits(any.build(), ranking.maxHits(), RANKING);
    } catch (IOException e) {
      throw InvalidInputException.cannot("search", e);
    }
  }

  /** The ids of all documents with this value in a field of their keys, in the order of adding. */
  public List<String> withValue(String field, String value) {
    try {
      Query query = new TermQuery(new Term(field, value));
      return hits(query, Math.max(1, reader.numDocs()), IN_ORDER_OF_ADDING).stream()
          .map(Hit::id)
          .toList();
    } catch (IOException e) {
      throw InvalidInputException.cannot("search", e);
    }
  }

  private List<Hit> hits(Query query, int maxHits, Sort order) throws IOException {
    List<Hit> hits = new ArrayList<>();
    for (ScoreDoc doc : searcher.search(query, maxHits, order, order == RANKING).scoreDocs) {
      BytesRef id = (BytesRef) ((FieldDoc) doc).fields[1];
      hits.add(new Hit(id.utf8ToString(), doc.score));
    }
    return hits;
  }

  /** The distinct terms of a query with their counts, in order. */
  private Map<String, Integer> terms(String query) throws IOException {
    Map<String, Integer> terms = new LinkedHashMap<>();
    try (TokenStream stream = ranking.analyzer().tokenStream(TEXT, query)) {
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
      throw InvalidInputException.cannot("close the search index", e);
    }
  }
}
