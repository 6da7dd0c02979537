package org.vstar.env;

import java.io.Serializable;

/**
 * One thing to do (the prompt x of the papers).
 *
 * @param id unique within the environment, and the same in every process; the shops use a content
 *     hash
 * @param environment name of the environment that the task belongs to
 * @param split the split it is in, decided by content alone
 * @param prompt the first observation of every episode on it
 * @param category the kind of task that reports break results down by
 * @param cluster results of tasks in one cluster are correlated, for example because they want the
 *     same product; intervals account for that
 */
public record Task(
    String id, String environment, Split split, String prompt, String category, String cluster)
    implements Serializable {}
