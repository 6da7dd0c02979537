package org.vstar.model.chat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.UnaryOperator;
import org.vstar.common.InvalidInputException;
import org.vstar.common.Json;

/**
 * A message of a chat.
 *
 * @param fields what a template sees of it: a role, mostly a content, and whatever else
 */
public record Message(ObjectNode fields) {

  /** Says what an agent is. */
  public static final String SYSTEM = "system";

  /** What an environment shows. */
  public static final String USER = "user";

  /** What an agent writes. */
  public static final String ASSISTANT = "assistant";

  private static final String ROLE = "role";
  private static final String CONTENT = "content";

  /** Checks that there is a role. */
  public Message {
    if (!fields.path(ROLE).isTextual()) {
      throw new InvalidInputException("a message of a chat has no role: " + fields);
    }
  }

  /** A message of text. */
  public static Message of(String role, String content) {
    return new Message(Json.MAPPER.createObjectNode().put(ROLE, role).put(CONTENT, content));
  }

  /** Who speaks: {@code system}, {@code user}, {@code assistant}, or what a template knows. */
  public String role() {
    return fields.path(ROLE).asText();
  }

  /** What is said; empty if it is no text. */
  public String content() {
    return fields.path(CONTENT).isTextual() ? fields.path(CONTENT).asText() : "";
  }

  /** The same with another text for each text in it but the role. */
  Message map(UnaryOperator<String> change) {
    ObjectNode changed = (ObjectNode) map(fields, change);
    changed.put(ROLE, role());
    return new Message(changed);
  }

  private static JsonNode map(JsonNode node, UnaryOperator<String> change) {
    if (node.isTextual()) {
      return Json.MAPPER.getNodeFactory().textNode(change.apply(node.asText()));
    }
    if (node.isObject()) {
      ObjectNode copy = Json.MAPPER.createObjectNode();
      node.properties().forEach(e -> copy.set(e.getKey(), map(e.getValue(), change)));
      return copy;
    }
    if (node.isArray()) {
      ArrayNode copy = Json.MAPPER.createArrayNode();
      node.forEach(element -> copy.add(map(element, change)));
      return copy;
    }
    return node;
  }
}
