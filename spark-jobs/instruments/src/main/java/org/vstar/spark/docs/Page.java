package org.vstar.spark.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/**
 * A page in Markdown.
 *
 * @param path relative to the project
 * @param title its first heading
 * @param anchors of its headings, as GitHub makes them
 * @param targets of its links and images, as they are written
 */
record Page(Path path, Node document, String title, Set<String> anchors, List<String> targets) {

  static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());

  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  /**
   * Reads a page.
   *
   * @param path relative to the project
   */
  static Page read(Path project, Path path) throws IOException {
    Node document = PARSER.parse(Files.readString(project.resolve(path)));
    Contents contents = new Contents();
    document.accept(contents);
    String title =
        contents.headings.isEmpty() ? path.getFileName().toString() : contents.headings.get(0);
    return new Page(path, document, title, contents.anchors, contents.targets);
  }

  private static final class Contents extends AbstractVisitor {
    private final IdGenerator ids = IdGenerator.builder().build();
    private final List<String> headings = new ArrayList<>();
    private final Set<String> anchors = new HashSet<>();
    private final List<String> targets = new ArrayList<>();

    @Override
    public void visit(Heading heading) {
      String text = text(heading);
      headings.add(text);
      anchors.add(ids.generateId(text));
      visitChildren(heading);
    }

    @Override
    public void visit(Link link) {
      targets.add(link.getDestination());
      visitChildren(link);
    }

    @Override
    public void visit(Image image) {
      targets.add(image.getDestination());
    }
  }

  /** The text of a node, without its marks. */
  private static String text(Node node) {
    StringBuilder text = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text part) {
            text.append(part.getLiteral());
          }

          @Override
          public void visit(Code part) {
            text.append(part.getLiteral());
          }
        });
    return text.toString().trim();
  }
}
