/**
 * V*: the reference policy rolled out many times per task, and what each task is worth under it.
 */
package org.vstar.spark.value;
