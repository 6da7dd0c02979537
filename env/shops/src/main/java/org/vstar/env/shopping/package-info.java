/** What both shops are made with: search, and the audit of a split. */
package org.vstar.env.shopping;
