package org.vstar.common;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Reads records that have components marked {@link Group}. */
final class GroupedRecords extends DelegatingDeserializer {

  private static final long serialVersionUID = 1L;

  /** Reads a record by a deserializer that finds each group under the name of its component. */
  GroupedRecords(JsonDeserializer<?> nested) {
    super(nested);
  }

  /** Whether a class is a record with groups. */
  static boolean hasGroups(Class<?> type) {
    return type.isRecord() && groups(type).findAny().isPresent();
  }

  private static Stream<RecordComponent> groups(Class<?> record) {
    return Arrays.stream(record.getRecordComponents()).filter(GroupedRecords::isGroup);
  }

  private static boolean isGroup(RecordComponent component) {
    return component.getType().isAnnotationPresent(Group.class);
  }

  /** The keys of a record's section, in the order of its components. */
  private static List<String> keys(Class<?> record) {
    List<String> keys = new ArrayList<>();
    for (RecordComponent component : record.getRecordComponents()) {
      keys.addAll(isGroup(component) ? keys(component.getType()) : List.of(component.getName()));
    }
    return keys;
  }

  /** The path to a value as files have it: without the names of groups. */
  static List<Reference> path(List<Reference> path) {
    return path.stream().filter(reference -> !namesGroup(reference)).toList();
  }

  private static boolean namesGroup(Reference reference) {
    Object from = reference.getFrom();
    Class<?> type = from instanceof Class<?> c ? c : from == null ? Object.class : from.getClass();
    return type.isRecord()
        && groups(type).anyMatch(group -> group.getName().equals(reference.getFieldName()));
  }

  @Override
  protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> nested) {
    return new GroupedRecords(nested);
  }

  @Override
  public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    // Where a section's kind has been read already, the parser stands behind the beginning.
    if (!parser.hasToken(JsonToken.START_OBJECT)
        && !parser.hasToken(JsonToken.FIELD_NAME)
        && !parser.hasToken(JsonToken.END_OBJECT)) {
      return super.deserialize(parser, context);
    }
    ObjectNode section = context.readTree(parser).deepCopy();
    List<String> known = keys(handledType());
    for (String key : (Iterable<String>) section::fieldNames) {
      if (!known.contains(key)) {
        throw UnrecognizedPropertyException.from(
            parser, handledType(), key, new ArrayList<Object>(known));
      }
    }
    groups(handledType()).forEach(group -> moveInto(group, section));
    try (JsonParser grouped = section.traverse(parser.getCodec())) {
      grouped.nextToken();
      return super.deserialize(grouped, context);
    }
  }

  private static void moveInto(RecordComponent group, ObjectNode section) {
    ObjectNode own = section.objectNode();
    for (String key : keys(group.getType())) {
      if (section.has(key)) {
        own.set(key, section.remove(key));
      }
    }
    section.set(group.getName(), own);
  }
}
