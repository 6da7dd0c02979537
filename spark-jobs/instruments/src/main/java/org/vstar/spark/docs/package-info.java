/** The pages as a site: links and anchors are checked, Markdown becomes HTML. */
package org.vstar.spark.docs;
