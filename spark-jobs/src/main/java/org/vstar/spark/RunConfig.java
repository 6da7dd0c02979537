package org.vstar.spark;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.vstar.env.EnvironmentConfig;
import org.vstar.model.policy.Sampling;
import org.vstar.model.train.TrainConfig;
import org.vstar.model.transformer.TransformerConfig;
import org.vstar.spark.evaluate.EvaluateConfig;
import org.vstar.spark.vstar.VStarConfig;
import org.vstar.spark.warmstart.WarmStartConfig;

/**
 * A config file.
 *
 * @param name what the run is called, and its folder under {@code out} by default
 * @param seed every random draw of every job derives from it
 */
public record RunConfig(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) long seed,
    @JsonProperty(required = true) EnvironmentConfig environment,
    @JsonProperty(required = true) TransformerConfig model,
    @JsonProperty(required = true) Sampling sampling,
    @JsonProperty(required = true) WarmStartConfig warmStart,
    @JsonProperty(required = true) VStarConfig vstar,
    @JsonProperty(required = true) TrainConfig train,
    @JsonProperty(required = true) EvaluateConfig evaluate) {}
