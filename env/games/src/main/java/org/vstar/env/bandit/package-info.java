/**
 * RAGEN's bi-armed bandit (arXiv 2504.20073), one turn an episode: the smallest whole example of an
 * environment.
 */
package org.vstar.env.bandit;
