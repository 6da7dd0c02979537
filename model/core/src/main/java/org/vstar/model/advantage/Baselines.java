package org.vstar.model.advantage;

import java.util.Map;

/**
 * What is known of each train task before training, by task id.
 *
 * @param values what returns are held against: V*, or what {@code train.baseline} has instead
 * @param means mean return of the reference policy's samples
 */
public record Baselines(Map<String, Double> values, Map<String, Double> means) {}
