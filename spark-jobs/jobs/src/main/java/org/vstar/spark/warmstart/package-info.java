/** The reference policy: imitation on executors or on the driver, or a model as it is. */
package org.vstar.spark.warmstart;
