/**
 * Kills of what a job consists of, at random moments: whatever then differs from an undisturbed run
 * is a finding.
 */
package org.vstar.spark.chaos;
