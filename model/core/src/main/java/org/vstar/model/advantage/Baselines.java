package org.vstar.model.advantage;

import java.util.Map;
import java.util.Optional;

/**
 * What advantages can be held against. Values of tasks are by task id; they are NaN where nobody
 * has measured them.
 *
 * @param values what returns are held against: V*, or what {@code train.baseline} has instead
 * @param means mean return of the reference policy's samples
 * @param critic learned beside the policy, where the objective has one
 */
public record Baselines(
    Map<String, Double> values, Map<String, Double> means, Optional<Critic> critic) {}
