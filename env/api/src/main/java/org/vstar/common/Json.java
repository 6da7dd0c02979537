package org.vstar.common;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MapperBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.NullValueProvider;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.NumberDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.databind.util.AccessPattern;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * The one JSON mapper. It reads records strictly: every component must be there and not null unless
 * it is marked {@link OptionalKey} or {@link Default}; what a record does not know is an error;
 * numbers are finite, whole where whole ones are meant, and no truth values; text is neither a
 * number nor a truth value.
 */
public final class Json {

  /** Thread-safe, and never reconfigured. */
  public static final ObjectMapper MAPPER = strict(JsonMapper.builder()).build();

  private Json() {}

  /** Makes a mapper strict. */
  static <M extends ObjectMapper, B extends MapperBuilder<M, B>> B strict(B builder) {
    return builder
        .annotationIntrospector(new StrictRecords())
        .addModule(
            new SimpleModule()
                .addDeserializer(double.class, new Finite())
                .setDeserializerModifier(new Components()))
        .withCoercionConfig(
            LogicalType.Boolean,
            c -> c.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail))
        // Text is what was written: 1e-4 would become 1.0E-4, and YAML's no the word false.
        .withCoercionConfig(
            LogicalType.Textual,
            c ->
                c.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                    .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  /**
   * Reads one JSON document.
   *
   * @param where what is read, for messages
   * @throws InvalidInputException if it is not JSON, or not of this type
   * @throws IOException if it cannot be read at all
   */
  public static <T> T read(String where, InputStream in, Class<T> type) throws IOException {
    try {
      return convert(where, MAPPER.readTree(in), type);
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      String at = line > 0 ? ", line " + line : "";
      throw new InvalidInputException(
          where + at + ": cut short, or not JSON: " + e.getOriginalMessage(), e);
    } catch (CharConversionException e) {
      throw new InvalidInputException(where + ": not JSON: " + e.getMessage(), e);
    }
  }

  /**
   * A tree as a record.
   *
   * @param where what it was read from, for messages
   * @throws InvalidInputException if it is not of this type
   */
  public static <T> T convert(String where, JsonNode tree, Class<T> type) {
    try {
      T read = MAPPER.treeToValue(tree, type);
      if (read == null || tree.isMissingNode()) {
        throw new InvalidInputException(where + ": expected a JSON object, found nothing");
      }
      return read;
    } catch (JsonProcessingException e) {
      throw new InvalidInputException(where + ": " + reason(e), e);
    }
  }

  /** What was wrong; of a record that refuses a value, what it says itself. */
  public static String reason(JsonProcessingException e) {
    return e.getCause() instanceof InvalidInputException own
        ? own.getMessage()
        : e.getOriginalMessage();
  }

  /** Requires what is marked neither {@link OptionalKey} nor {@link Default}. */
  private static final class StrictRecords extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    private static boolean isRequired(AnnotatedMember member) {
      return member.getDeclaringClass().isRecord()
          && !member.hasAnnotation(OptionalKey.class)
          && !member.hasAnnotation(Default.class);
    }

    @Override
    public Boolean hasRequiredMarker(AnnotatedMember member) {
      return member.getDeclaringClass().isRecord()
          ? Boolean.valueOf(isRequired(member))
          : super.hasRequiredMarker(member);
    }

    @Override
    public JsonSetter.Value findSetterInfo(Annotated annotated) {
      return annotated instanceof AnnotatedMember member && isRequired(member)
          ? JsonSetter.Value.forValueNulls(Nulls.FAIL, Nulls.FAIL)
          : super.findSetterInfo(annotated);
    }
  }

  /**
   * Gives components that are left out the values of {@link Default}, and finds those of a {@link
   * Group}.
   */
  private static final class Components extends BeanDeserializerModifier {
    private static final long serialVersionUID = 1L;

    @Override
    public JsonDeserializer<?> modifyDeserializer(
        DeserializationConfig config, BeanDescription description, JsonDeserializer<?> record) {
      return GroupedRecords.hasGroups(description.getBeanClass())
          ? new GroupedRecords(record)
          : record;
    }

    @Override
    public BeanDeserializerBuilder updateBuilder(
        DeserializationConfig config,
        BeanDescription description,
        BeanDeserializerBuilder builder) {
      if (description.getBeanClass().isRecord()) {
        SettableBeanProperty[] components =
            builder.getValueInstantiator().getFromObjectArguments(config);
        for (int i = 0; components != null && i < components.length; i++) {
          Default absent = components[i].getAnnotation(Default.class);
          if (absent != null) {
            components[i] =
                components[i].withNullProvider(
                    new LeftOut(absent.value(), components[i].getType()));
          }
        }
      }
      return builder;
    }
  }

  /** The value of a component that is left out. */
  private record LeftOut(String value, JavaType type) implements NullValueProvider {

    @Override
    public Object getNullValue(DeserializationContext context) throws JsonMappingException {
      try {
        boolean word = type.hasRawClass(String.class) || type.isEnumType();
        JsonNode tree = word ? TextNode.valueOf(value) : MAPPER.readTree(value);
        return context.readTreeAsValue(tree, type);
      } catch (JsonMappingException e) {
        throw e;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public AccessPattern getNullAccessPattern() {
      return AccessPattern.DYNAMIC;
    }
  }

  /** Numbers; text such as NaN and Infinity, which Jackson takes for some, is none. */
  private static final class Finite extends StdScalarDeserializer<Double> {
    private static final long serialVersionUID = 1L;
    private static final NumberDeserializers.DoubleDeserializer ANY =
        new NumberDeserializers.DoubleDeserializer(double.class, null);

    Finite() {
      super(double.class);
    }

    @Override
    public Double deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      String text = parser.getText();
      Double value = ANY.deserialize(parser, context);
      if (value != null && !Double.isFinite(value)) {
        return (Double) context.handleWeirdStringValue(double.class, text, "not a finite number");
      }
      return value;
    }
  }
}
