package org.vstar.env;

import java.io.Serializable;

/**
 * One thing to do (the prompt x of the papers).
 *
 * @param id content hash of the environment's name, the prompt and the goal; 16 hex digits
 * @param environment name of the environment that the task belongs to
 * @param split the half it is in, decided by content alone
 * @param prompt the first observation of every episode on it
 * @param category the kind of task that reports break results down by
 * @param cluster tasks of one cluster want the same thing in other words, so that one's result says
 *     something of the others'; intervals allow for it
 */
public record Task(
    String id, String environment, Split split, String prompt, String category, String cluster)
    implements Serializable {}
