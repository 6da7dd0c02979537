package org.vstar.spark.docs;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** The page of all config keys, made from the javadoc of the records that they are read into. */
final class ConfigReference {

  /** A section of a config, and the record that it is read into. */
  private record Section(String key, String file, String record) {}

  private static final String SPARK = "spark-jobs/jobs/src/main/java/org/vstar/spark/";
  private static final String MODEL = "model/core/src/main/java/org/vstar/model/";
  private static final String GAMES = "env/games/src/main/java/org/vstar/env/";
  private static final String SHOPS = "env/shops/src/main/java/org/vstar/env/";

  private static final String LOSS_OF_TOKENS = "objectives.NAME, losses of tokens";

  /** Records whose components are keys of several sections, and where they are. */
  private static final Map<String, String> GROUPS =
      Map.of(
          "GroupRelative", MODEL + "advantage/GroupRelative.java",
          "LeaveOneOut", MODEL + "advantage/LeaveOneOut.java",
          "RewardToGo", MODEL + "advantage/RewardToGo.java",
          "WhitenedGroup", MODEL + "advantage/WhitenedGroup.java",
          "ValueTracker", MODEL + "advantage/ValueTracker.java",
          "StepGroups", MODEL + "advantage/StepGroups.java",
          "GeneralizedAdvantage", MODEL + "advantage/GeneralizedAdvantage.java",
          "ValueLoss", MODEL + "objective/ValueLoss.java",
          "PolicyTerm", MODEL + "objective/PolicyTerm.java",
          "KlPenalty", MODEL + "objective/KlPenalty.java");

  private static final Pattern WORDS =
      Pattern.compile(
          "GoalSplit\\.Kind|GridMode|Prompts|Compat|Ratio|Aggregation\\.\\w+|Scale|Singleton|Unscored|Deviation"
              + "|Norm|EpisodeStatistics|Surrogate|KlEstimate|Average|Numerator|Of|Outside|By|Levels"
              + "|Observations|(BiLevelAdvantage\\.)?TurnEnds");

  private static final List<Section> SECTIONS =
      List.of(
          new Section("(top level)", SPARK + "run/RunConfig.java", "RunConfig"),
          new Section("model", MODEL + "engine/ModelConfig.java", "ModelConfig"),
          new Section("model.ropeScaling", MODEL + "engine/RopeScaling.java", "RopeScaling"),
          new Section("huggingFace", SPARK + "run/HuggingFaceSource.java", "HuggingFaceSource"),
          new Section("train.lora", MODEL + "engine/LoraConfig.java", "LoraConfig"),
          new Section("sampling", MODEL + "policy/SamplingConfig.java", "SamplingConfig"),
          new Section("warmStart", SPARK + "run/WarmStartConfig.java", "WarmStartConfig"),
          new Section("warmStart.recorded", SPARK + "run/WarmStartConfig.java", "Recorded"),
          new Section(
              "warmStart.initialization", MODEL + "weights/Initialization.java", "Initialization"),
          new Section(
              "warmStart.optimizer and train.optimizer",
              MODEL + "engine/OptimizerConfig.java",
              "OptimizerConfig"),
          new Section("faults", MODEL + "rollout/RetryPolicy.java", "RetryPolicy"),
          new Section("vstar", SPARK + "run/VStarConfig.java", "VStarConfig"),
          new Section("vstar.adaptive", SPARK + "run/VStarConfig.java", "AdaptiveConfig"),
          objective("astarpo-regression", "AStarPoRegression"),
          objective("astarpo-policy-gradient", "AStarPoPolicyGradient"),
          objective("oapl", "Oapl"),
          objective("raft", "Raft"),
          objective("grpo", "Grpo"),
          objective("dr-grpo", "DrGrpo"),
          objective("rloo", "Rloo"),
          objective("reinforce++", "ReinforcePlusPlus"),
          objective("reinforce++-baseline", "ReinforcePlusPlusBaseline"),
          objective("gigpo", "Gigpo"),
          objective("pvpo", "Pvpo"),
          objective("ppo", "Ppo"),
          objective("spo", "Spo"),
          new Section(
              "objectives.NAME.critic of ppo",
              MODEL + "objective/CriticConfig.java",
              "CriticConfig"),
          new Section(LOSS_OF_TOKENS, MODEL + "objective/TokenLoss.java", "TokenLoss"),
          new Section(
              "objectives.NAME.correction",
              MODEL + "objective/ImportanceCorrection.java",
              "ImportanceCorrection"),
          new Section(
              "objectives.NAME.correction.reject",
              MODEL + "objective/ImportanceCorrection.java",
              "Rejection"),
          new Section("objectives.NAME.whiten", MODEL + "advantage/Whitening.java", "Whitening"),
          new Section("train", MODEL + "train/TrainConfig.java", "TrainConfig"),
          new Section("train.refresh", MODEL + "train/TrainConfig.java", "RefreshConfig"),
          new Section("train.offline", MODEL + "train/TrainConfig.java", "OfflineConfig"),
          new Section("study", SPARK + "run/StudyConfig.java", "StudyConfig"),
          new Section("study.arms.NAME", SPARK + "run/StudyConfig.java", "Arm"),
          new Section("iceberg", SPARK + "iceberg/IcebergConfig.java", "IcebergConfig"),
          new Section("tracking", SPARK + "tracking/TrackingConfig.java", "TrackingConfig"),
          new Section("tracking.mlflow", SPARK + "tracking/TrackingConfig.java", "Mlflow"),
          new Section("evaluate", SPARK + "run/EvaluateConfig.java", "EvaluateConfig"),
          new Section("evaluate.beams", MODEL + "policy/BeamConfig.java", "BeamConfig"),
          new Section(
              "environment with kind: bandit", GAMES + "bandit/BanditConfig.java", "BanditConfig"),
          game("frozenlake", "frozenlake/FrozenLakeConfig"),
          game("sokoban", "sokoban/SokobanConfig"),
          new Section(
              "environment.room of sokoban", GAMES + "sokoban/RoomConfig.java", "RoomConfig"),
          game("countdown", "countdown/CountdownConfig"),
          game("ragen-bandit", "bandit/NamedBanditConfig"),
          new Section("environment.loop of games", GAMES + "ragen/LoopConfig.java", "LoopConfig"),
          new Section("environment.tasks of games", GAMES + "ragen/SeedConfig.java", "SeedConfig"),
          new Section(
              "environment.demonstrator of games",
              GAMES + "ragen/Demonstrator.java",
              "Demonstrator"),
          new Section(
              "environment with kind: webshop-lite",
              SHOPS + "webshoplite/WebShopLiteConfig.java",
              "WebShopLiteConfig"),
          new Section(
              "environment.rewards of webshop-lite", SHOPS + "webshoplite/Rewards.java", "Rewards"),
          new Section(
              "environment.demonstrator of webshop-lite",
              SHOPS + "webshoplite/NoisyShopper.java",
              "ErrorRates"),
          new Section(
              "environment with kind: webshop",
              SHOPS + "webshop/WebShopConfig.java",
              "WebShopConfig"),
          new Section(
              "environment.data of webshop", SHOPS + "webshop/WebShopConfig.java", "DataFiles"),
          new Section(
              "environment.goals of webshop", SHOPS + "webshop/WebShopConfig.java", "GoalSettings"),
          new Section(
              "environment.shop of webshop", SHOPS + "webshop/WebShopConfig.java", "ShopSettings"),
          new Section(
              "environment.reward of webshop",
              SHOPS + "webshop/reward/RewardWeights.java",
              "RewardWeights"),
          new Section(
              "environment.demonstrator of webshop",
              SHOPS + "webshop/Demonstrator.java",
              "Demonstrator"),
          new Section(
              "environment.demonstrator.errors of webshop",
              SHOPS + "webshop/agent/NoisyShopper.java",
              "ErrorRates"),
          new Section(
              "environment.training, environment.demonstrator.variation of webshop",
              SHOPS + "webshop/TrainVariation.java",
              "TrainVariation"));

  private static final String HEAD =
      """
      # Every key of a config

      A config is YAML. `include: FILE` builds on another file beside it: the config's keys override the
      included file's, and `--set KEY=VALUE` overrides both. A section of another `kind` replaces the
      included one. A key with a default is optional, and so is a section whose keys all have defaults; "none" means that without the key the feature is off. An unknown key is an error that names the
      nearest known one.

      This page is made from the code. `submit/docs --config-page` makes it again, and the build fails when it
      is not up to date.
      """;

  /** Where the page stands in a project. */
  static final Path PAGE = Path.of("spark-jobs/src/site/markdown/config.md");

  private ConfigReference() {}

  /** The whole page. */
  static String page(Path project) throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    for (Section section : SECTIONS) {
      page.append("\n## ").append(section.key).append("\n\n").append(table(project, section));
    }
    return page.toString();
  }

  private static Section objective(String kind, String record) {
    return new Section(
        "objectives.NAME with kind: " + kind, MODEL + "objective/" + record + ".java", record);
  }

  private static Section game(String kind, String record) {
    return new Section(
        "environment with kind: " + kind,
        GAMES + record + ".java",
        record.substring(record.indexOf('/') + 1));
  }

  /** A record as a source file has it. */
  private record Declared(Path project, ClassTree record, DocTrees docs, TreePath path) {}

  private static Declared declared(Path project, String file, String record) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjects(project.resolve(file)));
      DocTrees docs = DocTrees.instance(task);
      List<Declared> found = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        new TreePathScanner<Void, Void>() {
          @Override
          public Void visitClass(ClassTree type, Void nothing) {
            if (type.getKind() == Tree.Kind.RECORD && type.getSimpleName().contentEquals(record)) {
              found.add(new Declared(project, type, docs, getCurrentPath()));
            }
            return super.visitClass(type, nothing);
          }
        }.scan(unit, null);
      }
      if (found.isEmpty()) {
        throw new IllegalStateException("no record " + record + " in " + file);
      }
      return found.get(0);
    }
  }

  private static String table(Path project, Section section) throws IOException {
    Declared own = declared(project, section.file, section.record);
    return text(firstParagraph(own.docs.getDocCommentTree(own.path)))
        + "\n\n| key | type | default | meaning |\n|---|---|---|---|\n"
        + rows(own);
  }

  /** A row for each key of a record; those of a group stand where its component does. */
  private static String rows(Declared own) throws IOException {
    ClassTree record = own.record;
    Map<String, String> meanings = new LinkedHashMap<>();
    for (DocTree tag : own.docs.getDocCommentTree(own.path).getBlockTags()) {
      if (tag instanceof ParamTree param) {
        meanings.put(param.getName().toString(), text(param.getDescription()));
      }
    }
    boolean presets =
        record.getMembers().stream()
            .anyMatch(
                member ->
                    member instanceof MethodTree made
                        && made.getModifiers().toString().contains("JsonCreator"));
    StringBuilder rows = new StringBuilder();
    for (VariableTree component : components(record)) {
      String type = component.getType().toString();
      Optional<ClassTree> group = group(record, type);
      if (group.isPresent()) {
        TreePath path = new TreePath(own.path, group.get());
        rows.append(rows(new Declared(own.project, group.get(), own.docs, path)));
        continue;
      } else if (GROUPS.containsKey(type)) {
        rows.append(rows(declared(own.project, GROUPS.get(type), type)));
        continue;
      } else if (type.equals("TokenLoss")) {
        rows.append("| … | | | the keys of *" + LOSS_OF_TOKENS + "* |\n");
        continue;
      }
      String key = component.getName().toString();
      if (!meanings.containsKey(key)) {
        throw new IllegalStateException(record.getSimpleName() + "." + key + " has no @param");
      }
      rows.append(
          String.format(
              Locale.ROOT,
              "| `%s` | %s | %s | %s |%n",
              key,
              type(type),
              presets ? "its preset's" : absent(component.getModifiers().getAnnotations()),
              meanings.get(key)));
    }
    return rows.toString();
  }

  private static List<VariableTree> components(ClassTree record) {
    return record.getMembers().stream()
        .filter(VariableTree.class::isInstance)
        .map(VariableTree.class::cast)
        .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
        .toList();
  }

  /** The record of that name within another, if it is marked as a group. */
  private static Optional<ClassTree> group(ClassTree record, String name) {
    return record.getMembers().stream()
        .filter(ClassTree.class::isInstance)
        .map(ClassTree.class::cast)
        .filter(nested -> nested.getSimpleName().contentEquals(name))
        .filter(
            nested ->
                nested.getModifiers().getAnnotations().stream()
                    .anyMatch(marker -> marker.getAnnotationType().toString().equals("Group")))
        .findFirst();
  }

  /** What a key is that a config leaves out; nothing for one that it has to have. */
  private static String absent(List<? extends AnnotationTree> annotations) {
    for (AnnotationTree annotation : annotations) {
      String name = annotation.getAnnotationType().toString();
      if (name.equals("OptionalKey")) {
        return "none";
      } else if (name.equals("Default")) {
        String value = annotation.getArguments().get(0).toString();
        String word =
            value.substring(value.indexOf('"') + 1, value.lastIndexOf('"')).replace("\\\"", "\"");
        return word.equals("{}") ? "its keys' own" : "`" + word + "`";
      }
    }
    return "";
  }

  private static List<? extends DocTree> firstParagraph(DocCommentTree comment) {
    return comment.getFullBody().stream()
        .takeWhile(tree -> !(tree instanceof StartElementTree))
        .toList();
  }

  private static String type(String java) {
    return switch (java) {
      case "int", "long", "Integer" -> "whole number";
      case "double", "Double" -> "number";
      case "boolean", "Boolean" -> "true or false";
      case "String" -> "text";
      case "List<Double>" -> "list of numbers";
      default ->
          java.startsWith("Map<") || Character.isUpperCase(java.charAt(0))
              ? WORDS.matcher(java).matches() ? "word" : "section"
              : java;
    };
  }

  private static String text(List<? extends DocTree> trees) {
    return trees.stream()
        .map(ConfigReference::text)
        .collect(Collectors.joining())
        .replaceAll("\\s+", " ")
        .replace("|", "\\|")
        .strip();
  }

  private static String text(DocTree tree) {
    if (tree instanceof LiteralTree literal) {
      return "`" + literal.getBody().getBody().strip() + "`";
    } else if (tree instanceof TextTree words) {
      return words.getBody();
    } else if (tree instanceof LinkTree link) {
      return "`" + link.getReference().getSignature() + "`";
    }
    return tree.toString();
  }
}
