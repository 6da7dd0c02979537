/** Which tasks get the next samples: what MLlib predicts of them, and what their samples say. */
package org.vstar.spark.adaptive;
