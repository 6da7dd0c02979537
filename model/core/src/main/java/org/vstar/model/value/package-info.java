/** What a task is worth under the reference policy, estimated from samples of it. */
package org.vstar.model.value;
