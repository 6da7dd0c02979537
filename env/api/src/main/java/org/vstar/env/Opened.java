package org.vstar.env;

import java.util.Map;
import org.vstar.common.Experimental;

/**
 * An open environment and what comes with it.
 *
 * @param environment where agents act
 * @param demonstrations what the reference policy learns from
 * @param baselines players that results are compared with, by the name that reports give them
 */
@Experimental
public record Opened(
    Environment environment, DemonstrationSource demonstrations, Map<String, Player> baselines) {}
