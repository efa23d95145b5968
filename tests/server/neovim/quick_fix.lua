-- What a user does in Neovim 0.7 or later: open a file, type a line, see diagnostics, choose a quick fix.
-- Run as `nvim --headless --clean -S quick_fix.lua FILE`, with the server's command in XLALINT_SERVER (by
-- spaces), and writes what was seen to the file that XLALINT_SEEN names.
local seen = { told = {} }

local function finish(status)
  local file = io.open(os.getenv("XLALINT_SEEN"), "w")
  file:write(vim.fn.json_encode(seen))
  file:close()
  vim.cmd(status == 0 and "qall!" or "cquit!")
end

local function wait(what, condition)
  if not vim.wait(20000, condition, 20) then
    seen.waited_for = what
    finish(1)
  end
end

local function codes()
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    local code = diagnostic.code or diagnostic.user_data.lsp.code
    table.insert(found, code .. ":" .. (diagnostic.lnum + 1))
  end
  table.sort(found)
  return table.concat(found, " ")
end

vim.notify = function(message)
  table.insert(seen.told, message)
end

local buffer = vim.api.nvim_get_current_buf()
vim.bo.filetype = "python"
local client = vim.lsp.start_client({
  name = "xlalint",
  cmd = vim.split(os.getenv("XLALINT_SERVER"), " "),
  root_dir = vim.fn.getcwd(),
})
vim.lsp.buf_attach_client(buffer, client)

wait("diagnostics of the file as it is opened", function() return codes() ~= "" end)
seen.opened = codes()

-- Type the marker that makes a bad loop of it.
vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("Go<C-u>        xm.mark_step()<Esc>", true, false, true), "tx", false)
wait("diagnostics of what was typed", function() return codes() ~= seen.opened and codes():match("XLA201") end)
seen.typed = codes()

-- Choose the quick fix at the marker. Old releases ask which one; new ones, too, as there are several.
vim.ui.select = function(items, options, choose)
  local offered = {}
  for number, item in ipairs(items) do
    table.insert(offered, (options.format_item(item)))
    if offered[number]:match("torch_xla.step") then
      choose(item, number)
    end
  end
  seen.offered = offered
end
vim.api.nvim_win_set_cursor(0, { vim.fn.line("$"), 8 })
local before = vim.api.nvim_buf_get_changedtick(buffer)
vim.lsp.buf.code_action()
wait("the quick fix", function() return vim.api.nvim_buf_get_changedtick(buffer) > before end)
wait("diagnostics after the quick fix", function() return not codes():match("XLA[12]0[12]:1") end)
seen.fixed = codes()
seen.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n") .. "\n"

-- The page of the rule on hover.
vim.api.nvim_win_set_cursor(0, { vim.fn.search("xla_device"), 15 })
local params = vim.lsp.util.make_position_params(0, "utf-16")
local answers = vim.lsp.buf_request_sync(buffer, "textDocument/hover", params, 60000) or {}
for _, answer in pairs(answers) do
  seen.hover = answer.result and answer.result.contents.value or nil
end

vim.lsp.stop_client(client)
wait("the end of the server", function() return vim.lsp.client_is_stopped(client) end)
finish(0)
