/** How much better a trajectory went than was to be expected. */
package org.vstar.model.advantage;
