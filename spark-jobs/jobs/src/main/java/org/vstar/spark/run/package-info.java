/** What the jobs of one run share: its config, its folder, the command line. */
package org.vstar.spark.run;
