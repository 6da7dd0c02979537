/** How tables and jobs behave when they are large, by runs made up for measuring; what V* costs. */
package org.vstar.spark.bench;
