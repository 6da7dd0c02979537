/**
 * Attacks on everything that reads what users and disks give: inputs are changed at random, and
 * whatever is neither taken rightly nor refused in one line is a finding.
 */
package org.vstar.spark.fuzz;
