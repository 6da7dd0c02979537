package org.vstar.spark.cli;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_csv;
import static org.apache.spark.sql.functions.to_json;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.vstar.common.InvalidInputException;
import org.vstar.spark.console.Console;
import org.vstar.spark.run.JobContext;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Answers one query for another program: CSV as RFC 4180 has it, with a line of names, or a line of
 * JSON per row. Lists and maps are JSON within CSV, and NULL is an empty field.
 */
@Command(name = "sql", mixinStandardHelpOptions = true)
public final class Query implements Callable<Integer> {

  /** How rows are written. */
  enum Output {
    CSV,
    JSON
  }

  @Option(names = "--output", required = true)
  private Output output;

  @Option(names = "-e")
  private String text;

  @Option(names = "-f")
  private Path file;

  private final PrintStream to;

  Query(PrintStream to) {
    this.to = to;
  }

  /** Runs the command. */
  public static void main(String[] args) {
    JobContext.main(new Query(new PrintStream(Console.out(), false, StandardCharsets.UTF_8)), args);
  }

  @Override
  public Integer call() throws IOException {
    if ((text == null) == (file == null)) {
      throw new InvalidInputException("--output goes with one query: -e SQL, or -f FILE");
    }
    String query = text != null ? text : Files.readString(file);
    write(rows(query.strip().replaceFirst(";\\s*$", "")));
    if (to.checkError()) {
      throw new InvalidInputException(
          "cannot write all rows to standard output: is its disk full, or its reader gone?");
    }
    return 0;
  }

  private static Dataset<Row> rows(String query) {
    try {
      return JobContext.session("Vstar SQL").sql(query);
    } catch (Exception e) {
      // Spark throws its checked exceptions without declaring them.
      if (e instanceof AnalysisException) {
        throw new InvalidInputException(InvalidInputException.oneLine(e.getMessage()), e);
      }
      throw e;
    }
  }

  private void write(Dataset<Row> rows) {
    if (output == Output.CSV) {
      to.print(header(rows) + "\r\n");
    }
    String end = output == Output.CSV ? "\r\n" : "\n";
    Dataset<Row> lines = output == Output.CSV ? csv(rows) : json(rows);
    for (Iterator<Row> each = lines.toLocalIterator(); each.hasNext(); ) {
      to.print(each.next().getString(0) + end);
    }
  }

  private static String header(Dataset<Row> rows) {
    return String.join(
        ",",
        Arrays.stream(rows.columns())
            .map(
                name ->
                    name.matches("(?s).*[\",\\r\\n].*")
                        ? '"' + name.replace("\"", "\"\"") + '"'
                        : name)
            .toList());
  }

  /** Columns by place: two may have one name. */
  private static Dataset<Row> csv(Dataset<Row> rows) {
    String[] places =
        IntStream.range(0, rows.columns().length).mapToObj(i -> "c" + i).toArray(String[]::new);
    StructField[] fields = rows.schema().fields();
    Column[] columns =
        IntStream.range(0, places.length)
            .mapToObj(i -> field(places[i], fields[i].dataType()))
            .toArray(Column[]::new);
    // Quotes are doubled, not escaped, and blanks belong to a value.
    Map<String, String> options =
        Map.of(
            "escape", "\"",
            "emptyValue", "\"\"",
            "ignoreLeadingWhiteSpace", "false",
            "ignoreTrailingWhiteSpace", "false");
    return rows.toDF(places).select(to_csv(struct(columns), options));
  }

  private static Column field(String place, DataType type) {
    boolean nested =
        type instanceof ArrayType || type instanceof MapType || type instanceof StructType;
    return nested ? to_json(col(place)).as(place) : col(place);
  }

  private static Dataset<Row> json(Dataset<Row> rows) {
    Set<String> names = new HashSet<>();
    for (String name : rows.columns()) {
      if (!names.add(name)) {
        throw new InvalidInputException(
            "two columns are called '" + name + "', which JSON cannot say: give one another name");
      }
    }
    Column[] fields =
        Arrays.stream(rows.columns())
            .map(name -> col("`" + name.replace("`", "``") + "`"))
            .toArray(Column[]::new);
    return rows.select(to_json(struct(fields), Map.of("ignoreNullFields", "false")));
  }
}
